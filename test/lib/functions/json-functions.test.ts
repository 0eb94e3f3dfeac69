import { expect, it } from 'vitest';
import { synthesizeGateway } from '../synthesized-gateway.ts';

const providers = {
  vllm: { baseUrl: 'http://10.0.0.5:8000/v1', private: true, models: ['llama-3.3-70b'] },
};
const gateway = synthesizeGateway({ providers });

it.each([
  ['Models', 256],
  ['Reports/Logs', 1024],
  ['Reports/Log', 256],
  ['Reports/Costs', 1024],
])('%s has %i MB of memory and the integration timeout of API Gateway', (path, memory) => {
  expect(gateway.resource(path).Properties).toMatchObject({ Timeout: 29, MemorySize: memory });
});

it.each(['Models', 'Reports/Log'])('%s receives the providers of the settings', (path) => {
  expect(gateway.resource(path).Properties.Environment).toMatchObject({
    Variables: { PROVIDERS: JSON.stringify(providers) },
  });
});
