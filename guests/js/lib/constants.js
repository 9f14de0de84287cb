Object.assign(exports, require('fs').constants, require('os').constants.errno, require('os').constants.signals);
