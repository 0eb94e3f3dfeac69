/**
 * The cost model: `npm run bench:cost` prints the tables of `docs/cost.md`.
 *
 * What a chat writes is counted with the gateway's own code, idle resources with the stack's own template. The rest is
 * arithmetic on list prices, so it takes seconds and no AWS account.
 */
import { synthesizeGateway } from '#test/lib/synthesized-gateway.ts';
import type { Template } from './cost/deployment.ts';
import { costTables } from './cost/tables.ts';

for (const table of costTables(synthesizeGateway().template.toJSON() as Template)) console.log(table);
