/** Entry point of `npm start`: runs the gateway on this machine until Ctrl-C. */
import { join } from 'node:path';
import { runCommandLine } from './command-line.ts';

runCommandLine({
  arguments: process.argv.slice(2),
  environment: process.env,
  dataDirectory: process.env.GATEWAY_DATA_DIRECTORY ?? join(import.meta.dirname, '..', '.gateway'),
});
