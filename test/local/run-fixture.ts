/** The local run's command line on the fixture: a process of its own, for signals. Arguments: assembly, data folder, options. */
import { runCommandLine } from '#local/command-line.ts';

const [assemblyDirectory, dataDirectory = '', ...options] = process.argv.slice(2);
runCommandLine({ arguments: options, environment: process.env, dataDirectory, assemblyDirectory });
