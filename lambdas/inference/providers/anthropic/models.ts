/**
 * What a request has to know of a Claude model, by its name.
 *
 * https://platform.claude.com/docs/en/models/overview
 * https://platform.claude.com/docs/en/build-with-claude/thinking-troubleshooting
 */

export interface ClaudeModel {
  /** What `max_tokens` is when the caller names none: the field is mandatory. */
  maxOutputTokens: number;
  /** Whether the model decides itself how much it thinks, or is given a number of tokens for it. */
  thinking: 'adaptive' | 'budget' | 'none';
  /** What turns thinking off; `null` for a model that always thinks. */
  thinkingOff: 'disabled' | 'between_tools' | null;
  /** Whether temperature, top_p and top_k can be other than their defaults. */
  sampling: boolean;
}

const newest: ClaudeModel = {
  maxOutputTokens: 128_000,
  thinking: 'adaptive',
  thinkingOff: 'disabled',
  sampling: false,
};
const version45: ClaudeModel = {
  maxOutputTokens: 64_000,
  thinking: 'budget',
  thinkingOff: 'disabled',
  sampling: true,
};

/** The first that fits counts. Names may carry a date, and what other platforms put around them. */
const modelsByName: readonly [RegExp, ClaudeModel][] = [
  [/claude-(fable|mythos)-/, { ...newest, thinkingOff: null }],
  [/claude-opus-5-5(?!\d)/, { ...newest, thinkingOff: null }],
  [/claude-sonnet-5-5(?!\d)/, { ...newest, thinkingOff: 'between_tools' }],
  [/claude-(opus|sonnet)-4-6/, { ...newest, sampling: true }],
  [/claude-opus-4-[78]/, newest],
  [/claude-(opus|sonnet|haiku)-4-5/, version45],
  [/claude-opus-4/, { ...version45, maxOutputTokens: 32_000 }],
  [/claude-(sonnet-4|3-7-sonnet)/, version45],
  [/claude-3-5/, { ...version45, maxOutputTokens: 8_192, thinking: 'none' }],
  [/claude-(3|v?2|instant)/, { ...version45, maxOutputTokens: 4_096, thinking: 'none' }],
  // Also those to come: the fewest surprises are in what the newest do.
  [/claude-/, newest],
];

/** What serves at a Messages endpoint without being Claude. */
const otherModel: ClaudeModel = { ...version45, maxOutputTokens: 4_096, thinking: 'none' };

export function claudeModel(name: string): ClaudeModel {
  return modelsByName.find(([pattern]) => pattern.test(name))?.[1] ?? otherModel;
}
