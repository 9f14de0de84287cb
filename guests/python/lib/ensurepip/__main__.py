import runpy

runpy.run_module('pip', run_name='__main__')
