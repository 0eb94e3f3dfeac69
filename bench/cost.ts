/**
 * What the gateway costs on AWS: `npm run bench:cost`.
 *
 * Prints the tables of `docs/cost.md` on standard output. What a chat takes is counted by the gateway's own code, what
 * rests by the template of the stack; the rest is arithmetic on list prices, so it takes seconds and no account.
 */
import { synthesizeGateway } from '#test/lib/synthesized-gateway.ts';
import type { Template } from './cost/setup.ts';
import { costTables } from './cost/tables.ts';

for (const table of costTables(synthesizeGateway().template.toJSON() as Template)) console.log(table);
