import { expect, it } from 'vitest';
import { synthesizeGateway } from '../synthesized-gateway.ts';

it('the models function takes the providers from the settings, and may take as long as API Gateway waits', () => {
  const providers = {
    vllm: { baseUrl: 'http://10.0.0.5:8000/v1', private: true, models: ['llama-3.3-70b'] },
  };

  expect(synthesizeGateway({ providers }).resource('Models').Properties).toMatchObject({
    Timeout: 29,
    MemorySize: 256,
    Environment: { Variables: { PROVIDERS: JSON.stringify(providers) } },
  });
});
