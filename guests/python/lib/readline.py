"""The history and the settings of a line editor. Lines come as they are: there is no terminal to edit them on."""
backend = 'readline'
_history = []
_limit = -1
_completer = None
_delimiters = ' \t\n`~!@#$%^&*()-=+[{]}\\|;:\'",<>/?'
_hooks = {}


def _at(pos):
    if not 0 <= pos < len(_history):
        raise ValueError(f'No history item at position {pos}' if pos >= 0 else 'History index cannot be negative')
    return pos


def parse_and_bind(string, /):
    if not isinstance(string, str):
        raise TypeError(f'parse_and_bind() argument must be str, not {type(string).__name__}')


def read_init_file(filename=None, /):
    if filename is None:
        raise FileNotFoundError(2, 'No such file or directory')
    with open(filename, 'rb'):
        pass


def add_history(string, /):
    if not isinstance(string, str):
        raise TypeError(f'add_history() argument must be str, not {type(string).__name__}')
    _history.append(string)


def clear_history():
    _history.clear()


def get_current_history_length():
    return len(_history)


def get_history_item(index, /):
    return _history[index - 1] if 0 < index <= len(_history) else None


def remove_history_item(pos, /):
    del _history[_at(pos)]


def replace_history_item(pos, line, /):
    _history[_at(pos)] = line


def get_history_length():
    return _limit


def set_history_length(length, /):
    global _limit
    _limit = length


def set_auto_history(enabled, /):
    bool(enabled)


def _name(filename):
    import os
    return os.path.expanduser('~/.history') if filename is None else filename


def read_history_file(filename=None, /):
    with open(_name(filename), encoding='utf-8', errors='surrogateescape') as f:
        _history.extend(f.read().splitlines())


def write_history_file(filename=None, /):
    kept = _history if _limit < 0 else _history[len(_history) - _limit:] if _limit else []
    with open(_name(filename), 'w', encoding='utf-8', errors='surrogateescape') as f:
        f.writelines(line + '\n' for line in kept)


def append_history_file(nelements, filename=None, /):
    with open(_name(filename), 'a', encoding='utf-8', errors='surrogateescape') as f:
        f.writelines(line + '\n' for line in (_history[-nelements:] if nelements else []))


def set_completer(function=None, /):
    global _completer
    _completer = function


def get_completer():
    return _completer


def set_completer_delims(string, /):
    global _delimiters
    _delimiters = string


def get_completer_delims():
    return _delimiters


def set_completion_display_matches_hook(function=None, /):
    _hooks['display'] = function


def set_startup_hook(function=None, /):
    _hooks['startup'] = function


def set_pre_input_hook(function=None, /):
    _hooks['input'] = function


def get_completion_type():
    return 0


def get_begidx():
    return 0


def get_endidx():
    return 0


def get_line_buffer():
    return ''


def insert_text(string, /):
    if not isinstance(string, str):
        raise TypeError(f'insert_text() argument must be str, not {type(string).__name__}')


def redisplay():
    pass
