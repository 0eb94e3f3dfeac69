import { afterAll, beforeAll, it } from 'vitest';
import { startTranslatedGateways, type TranslatedGateways } from '#test/support/messages/translated-gateway.ts';
import { runToolLoop, loopCompletion } from '#test/support/responses/tool-loop.ts';
import { streamProblems } from '#test/support/responses/schema.ts';
let gateways: TranslatedGateways;
beforeAll(async () => { gateways = await startTranslatedGateways({ path: '/ai/v1/responses' }); });
afterAll(() => gateways.stop());
const usage = { prompt_tokens: 1200, prompt_tokens_details: { cached_tokens: 1000 }, completion_tokens: 100, completion_tokens_details: { reasoning_tokens: 70 }, total_tokens: 1300 };
const whole = (message: object, finish_reason: string) => ({ id: 'chatcmpl-1', object: 'chat.completion', created: 1767225600, model: 'qwen3', choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason }], usage });
it('x', async () => {
  const g = await gateways.start('vllm', { settings: { vllm: { operations: { responses: false } } } });
  const tool_calls = loopCompletion.calls.map(({ id, ...f }) => ({ id, type: 'function', function: f }));
  const r = await runToolLoop(g, { model: 'vllm/qwen3', stream: false, calls: { whole: whole({ reasoning: 'It may rain', content: 'I look.', tool_calls }, 'tool_calls') }, end: { whole: whole({ content: 'In Rome.' }, 'stop') } });
  for (const x of [r.first, r.second]) console.log(x.status, JSON.stringify(x.sent, null, 1), JSON.stringify(x.body, null, 1), JSON.stringify(x.entry), x.ignored, x.headers);
});
