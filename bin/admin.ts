import { runAdmin } from '#cli/program.ts';

// A consumer such as `head` may close the output early, which must not stop work in progress.
process.stderr.on('error', () => {});
process.stdout.on('error', ({ message }) => {
  process.stderr.write(`error: Cannot write to standard output: ${message}\n`);
  process.exitCode = 1;
});

const exitCode = await runAdmin(process.argv.slice(2));
if (exitCode !== 0) process.exitCode = exitCode;
