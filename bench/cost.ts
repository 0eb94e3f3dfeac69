/**
 * The cost model: `npm run bench:cost` prints the tables of `docs/cost.md`, then background tables, such as the list prices.
 *
 * Writes are counted with the gateway's code, idle resources with the stack's template. The rest is arithmetic on list
 * prices, so the model runs in seconds and needs no AWS account.
 */
import { synthesizeGateway } from '#test/lib/synthesized-gateway.ts';
import type { Template } from './cost/deployment.ts';
import { backgroundTables, costTables } from './cost/tables.ts';

const template = synthesizeGateway().template.toJSON() as Template;
for (const table of [...costTables(template), ...backgroundTables(template)]) console.log(table);
