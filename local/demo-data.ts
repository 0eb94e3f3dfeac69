/** Entry point of `npm run demo-data`: fills the running local gateway with requests for the dashboard. */
import { join } from 'node:path';
import { styleText } from 'node:util';
import { runDemoData } from './demo-data/command.ts';
import { LocalGatewayError, messageOf } from './local-gateway-error.ts';

try {
  await runDemoData({
    arguments: process.argv.slice(2),
    dataDirectory: process.env.GATEWAY_DATA_DIRECTORY ?? join(import.meta.dirname, '..', '.gateway'),
    now: () => new Date(),
    print: (text) => process.stdout.write(text),
    onProgress: (step) => console.error(styleText('dim', `${step} …`, { stream: process.stderr })),
  });
} catch (error) {
  console.error(error instanceof LocalGatewayError ? messageOf(error) : error);
  process.exitCode = 1;
}
