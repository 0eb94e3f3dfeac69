import { expect, it } from 'vitest';
import { synthesizeGateway } from './synthesized-gateway.ts';

const gateway = synthesizeGateway();

it.each(['Reports/Logs', 'Reports/Log', 'Reports/Costs'])(
  '%s may take as long as API Gateway waits',
  (path) => {
    expect(gateway.resource(path).Properties).toMatchObject({ Timeout: 29, MemorySize: 256 });
  },
);
