/** Models of the four kinds of providers without the Responses API, and a conversation with them. */
import { z } from 'zod';
import type { Script } from '#test/support/providers/script-turns.ts';
import type { TranslatedModel } from '#test/support/providers/scripted/script-completions.ts';
import { expectReasoningReturned } from '#test/support/providers/scripted/translated-requests.ts';
import type { Turn } from '#test/support/providers/scripted/turns.ts';

export interface ScriptedModel extends Script {
  /** The numbers of input and output tokens of the simulated model. */
  usage: [input: number, output: number];
}

/** The gateway of `providers.test.ts` with its fake providers, once they have started. */
export interface TranslatedResponses {
  connection(): { baseURL: string; apiKey: string };
  script(model: TranslatedModel, turns?: readonly Turn[]): ScriptedModel;
}

export const models = [
  'anthropic/claude-sonnet-4-5',
  'bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0',
  'bedrock/amazon.nova-pro-v1:0',
  'google/gemini-3.1-pro-preview',
  'vllm/Qwen/Qwen3-32B',
  'ollama/gpt-oss:20b',
] as const satisfies TranslatedModel[];

export const expectedText = 'Hello there, I am here.';
export const question = 'What is the weather in Oslo?';
export const city = z.object({ city: z.string() });
export const report = z.object({ city: z.string(), celsius: z.number() });
export const expectedReport = { city: 'text', celsius: 1 };

const reasoning = 'I look it up.';

/** Two calls with reasoning and a text in front of them, and the text that follows their results. */
export const loopTurns: readonly Turn[] = [
  {
    parts: [
      { type: 'reasoning', text: reasoning },
      { type: 'text', text: 'I look.' },
      { type: 'call', name: 'weather', input: { city: 'Oslo' } },
      { type: 'call', name: 'weather', input: { city: 'Rome' } },
    ],
    usage: { input: 311, output: 61, reasoning: 20 },
  },
  { parts: [{ type: 'text', text: 'It rains in both.' }], usage: { input: 388, output: 7 } },
];

/** The sum of both turns. */
export const loopUsage = { input: 699, output: 68 };

/** Amazon Nova Pro does not reason. */
export const reasons = (model: TranslatedModel) => !model.includes('nova');

/** Expects that the latest request has the reasoning of the first turn, with the provider's own signature, and its texts. */
export function expectLoopReturned(script: Script, model: TranslatedModel): void {
  if (reasons(model)) expectReasoningReturned(script, { model, reasoning, steps: 1 });
}
