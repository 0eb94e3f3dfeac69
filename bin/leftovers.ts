import { runLeftovers } from '#cli/deployment/leftovers/program.ts';

process.exitCode = await runLeftovers(process.argv.slice(2));
