import { runAdmin } from '#cli/program.ts';
import { standardErrors } from '#lib/terminal-output.mjs';

// A consumer such as `head` may close the output early, which must not stop work in progress.
process.stdout.on('error', ({ message }) => {
  standardErrors.write(`error: Cannot write to standard output: ${message}\n`);
  process.exitCode = 1;
});

const exitCode = await runAdmin(process.argv.slice(2));
if (exitCode !== 0) process.exitCode = exitCode;
