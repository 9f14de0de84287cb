import sys

sys.exit('pip: packages cannot be installed here. Pure Python packages that the host mounts at /lib/python/site-packages can be imported;\n'
         'a folder of such packages can also be named in PYTHONPATH, or lie beside the script.')
