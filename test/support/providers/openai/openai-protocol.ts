/** How OpenAI itself answers a chat completion request: the upstream's behaviour without a script. */

import type { ProviderBehaviour } from '../provider-behaviour.ts';
import { type SmallAnswer, smallAnswer } from '../small-answer.ts';
import { openaiError } from './openai-answers.ts';
import { type Dialect, dialectProtocol } from './openai-dialect.ts';
import { exampleUsage, type Usage } from './openai-events.ts';
import { type ChatRequest, refusedByOpenAI } from './openai-request.ts';
import { asksForUsage, finishReasonOf, openaiChoice, openaiDeltas, openaiMessage } from './openai-shapes.ts';

export interface UpstreamBehaviour extends ProviderBehaviour {
  /** What the answer says was counted; also see `exampleUsage`. */
  usage?: Usage;
  /** The text of the answer, in the pieces in which a stream sends it. */
  pieces?: readonly string[];
}

const snapshots: Record<string, string> = {
  'gpt-4o': 'gpt-4o-2024-08-06',
  'gpt-4o-mini': 'gpt-4o-mini-2024-07-18',
};

const openaiDialect: Dialect<UpstreamBehaviour> = {
  path: '/v1',
  headers: () => ({ 'openai-version': '2020-10-01', 'openai-processing-ms': '12' }),
  wrongKey: openaiError(401),
  unknownModel: (model) =>
    openaiError(404, { message: `The model \`${model}\` does not exist or you do not have access to it.` }),
  unknownRoute: openaiError(404, { message: 'Unknown request URL.', code: 'unknown_url' }),
  badRequest: (problem) => openaiError(400, problem),
  refuses: refusedByOpenAI,
  answerOf(chat, behaviour): SmallAnswer {
    const answer = smallAnswer(chat, behaviour);
    if (behaviour.pieces === undefined || answer.kind === 'tool') return answer;
    return { kind: 'text', pieces: behaviour.pieces };
  },
  plain: (chat, answer, behaviour) => ({
    ...commonFields(chat, 'chat.completion'),
    choices: [
      { index: 0, message: openaiMessage(answer), logprobs: null, finish_reason: finishReasonOf(answer) },
    ],
    usage: behaviour.usage ?? exampleUsage,
    service_tier: 'default',
    system_fingerprint: 'fp_1',
  }),
  stream(chat, answer, behaviour) {
    const asked = asksForUsage(chat);
    // With `include_usage` every chunk has `usage`, null on all but the last, whose `choices` are empty.
    const chunk = (choices: object[], usage: Usage | null = null) => ({
      ...commonFields(chat, 'chat.completion.chunk'),
      service_tier: 'default',
      system_fingerprint: 'fp_1',
      choices,
      ...(asked ? { usage } : {}),
    });
    return [
      ...openaiDeltas(answer).map((delta) => chunk([openaiChoice(delta, null)])),
      chunk([openaiChoice({}, finishReasonOf(answer))]),
      ...(asked ? [chunk([], behaviour.usage ?? exampleUsage)] : []),
    ];
  },
};

export const openaiProtocol = dialectProtocol(openaiDialect);

function commonFields(chat: ChatRequest, object: string) {
  return { id: 'chatcmpl-1', object, created: 1767225600, model: snapshots[chat.model] ?? chat.model };
}
