/**
 * What the gateway adds to a call of the provider, compared with a baseline and a competitor: `npm run bench`.
 *
 * Runs the bundle as it is deployed, with authentication, the line before each request, pricing and the log write. The
 * implementations run in turn and each process counts its own CPU time, so figures compare within a run. Prints a table.
 * The argument is the number of rounds: 7, the default, take six minutes.
 */
import { synthesizeGateway } from '#test/lib/synthesized-gateway.ts';
import { readDeployment, type Template } from './cost/deployment.ts';
import { busyMillionUsd } from './cost/tables.ts';
import { startEnvironment } from './harness/environment.ts';
import { startImplementations } from './overhead/implementations.ts';
import { measureOverheads } from './overhead/measure.ts';
import { overheadTable } from './overhead/table.ts';
import { measureDeployed } from './start-up/starts.ts';

const rounds = Number(process.argv[2] ?? 7);
const { template } = synthesizeGateway();
const millionUsd = busyMillionUsd(readDeployment(template.toJSON() as Template));
const gatewayFigures = { ...measureDeployed(3 * rounds), millionUsd };

const environment = await startEnvironment();
const implementations = await startImplementations(environment);
try {
  console.log(overheadTable(await measureOverheads(environment, implementations, rounds), gatewayFigures));
} finally {
  await Promise.all(implementations.map((implementation) => implementation.process.stop()));
  await environment.stop();
}
