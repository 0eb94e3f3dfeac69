import { runSmoke } from '#cli/smoke/program.ts';

process.exitCode = await runSmoke(process.argv.slice(2));
