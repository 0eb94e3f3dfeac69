/** The admin command line: organizations, API keys and provider credentials of a gateway. */

import { runAdmin } from './admin/program.ts';

process.exitCode = await runAdmin(process.argv.slice(2));
