import { expect, it } from 'vitest';
import { synthesizeGateway } from '../synthesized-gateway.ts';

const gateway = synthesizeGateway();

it.each([
  ['Reports/Logs', 1024],
  ['Reports/Log', 256],
  ['Reports/Costs', 1024],
])('%s has %i MB, and may take as long as API Gateway waits', (path, memory) => {
  expect(gateway.resource(path).Properties).toMatchObject({ Timeout: 29, MemorySize: memory });
});
