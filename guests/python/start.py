# What of Python's start is written in Python: run once before the guest is frozen, its functions in every run.
import sys


def _first():
    """Imports what programs use most and puts aside what `python3` lacks."""
    import builtins
    import gc
    import importlib._bootstrap as bootstrap

    import _nacre
    at_start = set(sys.modules) | set(sys.builtin_module_names)
    needs = {}
    real = builtins.__import__

    def watched(name, globals=None, locals=None, fromlist=(), level=0):
        """Who imports what."""
        result = real(name, globals, locals, fromlist, level)
        importer = globals and globals.get('__name__')
        if importer and getattr(globals.get('__spec__'), '_initializing', False):
            if level:
                name = bootstrap._resolve_name(name, bootstrap._calc___package__(globals), level)
            needs.setdefault(importer, {}).update(dict.fromkeys([name, *(f'{name}.{n}' for n in fromlist or ())]))
        return result
    builtins.__import__ = watched
    try:
        for name in NAMES.split():
            real(name)
    finally:
        builtins.__import__ = real
    # Those which are frozen would otherwise be imported twice.
    aside = {n: m for n, m in sys.modules.items() if n not in at_start and getattr(m.__spec__, 'origin', None) != 'frozen'}
    for name in aside:
        del sys.modules[name]
    return _nacre, gc, aside, {n: [k for k in v if k in aside] for n, v in needs.items()}


def no_threads(*args, **named):
    raise RuntimeError("can't start new thread: there are none in this sandbox; asyncio and subprocess do without")


NAMES = '''argparse array ast asyncio base64 bisect calendar cmath collections.abc configparser contextlib copy csv dataclasses datetime decimal
difflib email.message email.parser enum errno fnmatch fractions functools getpass glob gzip hashlib heapq hmac html.parser http.client
importlib.metadata importlib.resources inspect io itertools json json.tool keyword linecache locale logging math numbers operator os pathlib
pickle platform pprint queue random re secrets select shlex shutil signal socket sqlite3 stat statistics string struct subprocess tarfile
tempfile textwrap threading time timeit tokenize traceback types typing unicodedata unittest urllib.parse urllib.request uuid warnings
weakref xml.dom.minidom xml.etree.ElementTree zipfile zlib zoneinfo bz2 lzma'''
LIBRARY = '/usr/lib/python3.13'
_nacre, _gc, _aside, _needs = _first()
import _thread
import io as _io
import os as _os
import time as _time
import importlib._bootstrap_external as _external
import codecs as _codecs
_random = _aside['random']


class Aside:
    """Loads a module that was imported before, when it is the library's turn along sys.path."""

    def __init__(self, module):
        self.module = module
        self.spec, self.loader = module.__spec__, module.__loader__

    def create_module(self, spec):
        return self.module

    def exec_module(self, module):
        module.__spec__, module.__loader__ = self.spec, self.loader
        self.spec._initializing = False
        _bring(module.__name__)


def _bring(name):
    """What a module had imported, as if it had done so now."""
    for need in _needs.get(name, ()):
        if need not in _aside:
            continue
        top = need.partition('.')[0]
        if top != name.partition('.')[0] and _shadowed(top):
            try:
                __import__(top)
            except Exception:
                pass
            continue
        sys.modules[need] = _aside.pop(need)
        _bring(need)


def _shadowed(top):
    for entry in sys.path:
        if entry.startswith(LIBRARY[:-1]):
            return False
        finder = _external.PathFinder._path_importer_cache(entry)
        if finder is not None and finder.find_spec(top) is not None:
            return True
    return False


class Finder:
    def __init__(self, finder):
        self.finder = finder
        self.find_spec_later = finder.find_spec

    def find_spec(self, name, target=None):
        module = _aside.pop(name, None)
        if module is None:
            return self.finder.find_spec(name, target)
        spec = module.__spec__
        loader = Aside(module)
        new = type(spec)(name, loader, origin=spec.origin, is_package=spec.submodule_search_locations is not None)
        new.submodule_search_locations = spec.submodule_search_locations
        new._set_fileattr = spec._set_fileattr
        new.cached = spec.cached
        return new

    def __getattr__(self, name):
        return getattr(self.finder, name)


def _wrap_finders():
    cache = sys.path_importer_cache
    for path, finder in list(cache.items()):
        if finder is not None and path.startswith(LIBRARY):
            cache[path] = Finder(finder)
            if path == LIBRARY:
                finder.invalidate_caches()  # something may be mounted into it
        elif finder is None:
            del cache[path]


def _stream(fd, mode, name, config):
    encoding, errors, buffered = config
    encoding = _codecs.lookup(encoding).name
    try:
        raw = _io.FileIO(fd, mode, closefd=False)
    except OSError:
        return None
    writing = mode == 'w'
    raw.name = name
    tty = raw.isatty()
    if not buffered and writing:
        buffer = raw
    elif writing:
        buffer = _io.BufferedWriter(raw)
    else:
        buffer = _io.BufferedReader(raw)
    if fd == 2:
        errors = 'backslashreplace'
    text = _io.TextIOWrapper(buffer, encoding, errors, newline='\n', line_buffering=bool(buffered and (fd == 2 or tty)),
                             write_through=not buffered and writing)
    text.mode = mode
    return text


def begin():
    """What a run adds to the frozen start."""
    encoding, errors, buffered, site, user_site, path, env = _nacre.config()
    config = (encoding, errors, buffered)
    sys.stdin = sys.__stdin__ = _stream(0, 'r', '<stdin>', config)
    sys.stdout = sys.__stdout__ = _stream(1, 'w', '<stdout>', config)
    sys.stderr = sys.__stderr__ = _stream(2, 'w', '<stderr>', config)
    environ = _os.environ._data
    environ.clear()
    environ.update(env)
    _random._inst.seed()
    if b'TZ' in env:
        _time.tzset()
    if 'logging' in _aside:
        _aside['logging']._startTime = _nacre.time_ns()
    if path:
        sys.path[:0] = dict.fromkeys(_os.path.abspath(p) for p in path.split(':'))
    if site:
        _site(user_site)


def _site(user_site):
    import site
    places = ['/usr/local/lib/python3.13/dist-packages', '/usr/lib/python3/dist-packages', '/lib/python/site-packages']
    if user_site:
        site.USER_BASE = site.USER_SITE = None
        site.ENABLE_USER_SITE = True
        places.insert(0, site.getusersitepackages())
    else:
        site.ENABLE_USER_SITE = False
    for place in places:
        if _nacre.is_dir(place):
            site.addsitedir(place)


def before_exit():
    threading = sys.modules.get('threading')
    if threading:
        threading._shutdown()


def _flush(status=0):
    for name in ('stdout', 'stderr'):
        f = getattr(sys, name, None)
        try:
            if f is not None and not f.closed:
                f.flush()
        except BaseException as e:
            if name == 'stdout':
                status or print(f'Exception ignored on flushing sys.stdout:\n{type(e).__name__}: {e}', file=sys.stderr)
                status = -1
    return status


_modules_at_start = set(sys.modules)


def end():
    """Destroys what the program has made, so that it can say goodbye and its files are written."""
    status = _flush()
    for name in ('path', 'argv', 'ps1', 'ps2', 'last_exc', 'last_type', 'last_value', 'last_traceback', 'path_hooks', 'path_importer_cache',
                 'meta_path'):
        if hasattr(sys, name):
            setattr(sys, name, None)
    mine = [m for n, m in sys.modules.items() if n not in _modules_at_start and n not in _known]
    main = sys.modules.get('__main__')
    mine.append(main)
    for module in reversed(mine):
        if isinstance(module, type(sys)):
            _nacre.clear_module(module)
    del mine, main, module
    _gc.collect()
    return _flush(status)


_known = set(_aside)
_thread.start_new_thread = _thread.start_new = _thread.start_joinable_thread = _thread._start_joinable_thread = no_threads
_aside['threading']._start_joinable_thread = _aside['threading']._start_new_thread = no_threads
_wrap_finders()
sys.argv = ['']
_gc.collect()
_gc.freeze()
