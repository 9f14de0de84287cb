import sys

sys.exit('venv: there are no virtual environments in this sandbox, and none are needed: nothing can be installed. '
         'Pure Python packages are found where the host mounts them, at /lib/python/site-packages, or along PYTHONPATH.')
