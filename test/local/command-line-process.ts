/**
 * Runs the command line of the local run in a separate process, for tests of its output and signals. Arguments:
 * assembly directory, data directory, options.
 */
import { runCommandLine } from '#local/command-line.ts';

const [assemblyDirectory, dataDirectory = '', ...options] = process.argv.slice(2);
runCommandLine({ arguments: options, environment: process.env, dataDirectory, assemblyDirectory });
