import { runPreflight } from '#cli/deployment/preflight/program.ts';

process.exitCode = await runPreflight(process.argv.slice(2));
