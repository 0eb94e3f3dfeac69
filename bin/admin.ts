/** The admin command line: organizations, API keys and provider credentials of a gateway. */

import { runAdmin } from '#cli/program.ts';

// A reader of the output such as `head` may close it early: that does not end work in progress.
process.stderr.on('error', () => {});
process.stdout.on('error', ({ message }) => {
  process.stderr.write(`error: Standard output cannot be written: ${message}\n`);
  process.exitCode = 1;
});

const exitCode = await runAdmin(process.argv.slice(2));
if (exitCode !== 0) process.exitCode = exitCode;
