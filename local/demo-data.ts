/** Entry point of `npm run demo-data`: fills the running local gateway with requests for the dashboard. */
import { join } from 'node:path';
import { standardOutput } from '#lib/terminal-output.mjs';
import { runDemoData } from './demo-data/command.ts';
import { printFailure, printStep } from './messages.ts';

try {
  await runDemoData({
    arguments: process.argv.slice(2),
    dataDirectory: process.env.GATEWAY_DATA_DIRECTORY ?? join(import.meta.dirname, '..', '.gateway'),
    now: () => new Date(),
    print: standardOutput.write,
    onProgress: printStep,
  });
} catch (error) {
  printFailure(error);
  process.exitCode = 1;
}
