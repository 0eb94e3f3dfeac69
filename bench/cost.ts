/**
 * The cost model: `npm run bench:cost` prints the tables of `docs/cost.md`, then background tables, such as the list prices.
 *
 * Writes are counted with the gateway's code, idle resources with the stack's template. The rest is arithmetic on list
 * prices, so the model runs in seconds and needs no AWS account.
 */
import { synthesizeTemplates } from './cost/synthesized-templates.ts';
import { backgroundTables, costTables } from './cost/tables.ts';

const templates = synthesizeTemplates();
for (const table of [...costTables(templates), ...backgroundTables(templates)]) console.log(table);
