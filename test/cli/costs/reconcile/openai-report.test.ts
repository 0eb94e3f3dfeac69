import { expect, it } from 'vitest';
import { modelOfLineItem } from '#cli/costs/reconcile/openai-report.ts';

it.each([
  ['gpt-4o-mini-2024-07-18, input', 'gpt-4o-mini-2024-07-18'],
  ['gpt-5.6-terra, cached input', 'gpt-5.6-terra'],
  ['gpt-5.6-terra, cache writes', 'gpt-5.6-terra'],
  ['priority | gpt-5.6-sol, output, long context', 'gpt-5.6-sol'],
  ['a new prefix | gpt-5.6-sol, output', 'gpt-5.6-sol'],
  ['gpt-realtime-2.1 audio, input', 'gpt-realtime-2.1'],
  ['gpt-realtime-2.1 text, cached input', 'gpt-realtime-2.1'],
  ['gpt-image-1.5-2025-12-16 image, output', 'gpt-image-1.5-2025-12-16'],
  ['whisper', 'whisper'],
  ['web search tool calls', null],
  ['assistants api | file search', null],
  ['Vector storage', null],
  ['Credit', null],
  ['gpt-5.6-sol, sessions', null],
])('the line item %s names the model %s', (lineItem, model) => {
  expect(modelOfLineItem(lineItem)).toBe(model);
});
