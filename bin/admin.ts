/** The admin command line: organizations, API keys and provider credentials of a gateway. */

import { runAdmin } from '#cli/program.ts';

// Who reads the output may be gone, as `head` is after some lines: no work that is under way ends for that.
process.stderr.on('error', () => {});
process.stdout.on('error', ({ message }) => {
  process.stderr.write(`error: Standard output takes no more: ${message}\n`);
  process.exitCode = 1;
});

const exitCode = await runAdmin(process.argv.slice(2));
if (exitCode !== 0) process.exitCode = exitCode;
