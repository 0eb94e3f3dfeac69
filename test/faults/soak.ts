/**
 * Soak test: runs mixed traffic and samples the functions' memory. Start it with `npm run soak`.
 *
 * Takes 20 minutes, or SOAK_MINUTES. Exits with 1 when an invariant is violated, such as a lost or duplicated request.
 * It does not judge memory: read the table that it prints.
 */

import { hasPassed, tableHeader, tableRow } from './result-table.ts';
import { runScenario } from './run-scenario.ts';
import { startSampling } from './soak/memory-samples.ts';
import { memoryTable } from './soak/memory-table.ts';
import { runMixedTraffic, type Tally } from './soak/mixed-traffic.ts';
import { startFaultFixture } from './support/fault-fixture.ts';

const minutes = Number(process.env.SOAK_MINUTES ?? 20);
const correlationIdPrefix = 'soak';

await using fixture = await startFaultFixture();
const memory = await startSampling(fixture.gateway);
let tally: Tally = new Map();
const result = await runScenario(fixture, {
  form: 'long',
  scenario: {
    fault: `none, for ${minutes} minutes`,
    correlationIdPrefix,
    requests: { short: 0, long: 0 },
    async run(context) {
      tally = await runMixedTraffic(context, {
        correlationIdPrefix,
        untilMs: Date.now() + minutes * 60_000,
      });
      await memory.stop();
    },
  },
});
console.log(memoryTable(memory));
console.log(`${tableHeader}\n${tableRow(result)}\n`);
console.log([...tally].map(([name, count]) => `${name}: ${count}`).join(', '));
for (const violation of result.violations) console.log(violation);
if (!hasPassed(result)) process.exitCode = 1;
