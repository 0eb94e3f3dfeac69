/**
 * What a request has to know of a model on Bedrock, by its name: an id, an inference profile of it (`us.…`), or an ARN
 * that ends in either. An ARN without a model's name could be of any model, and then nothing is taken for granted.
 *
 * https://docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference-supported-models-features.html
 */

export interface BedrockModel {
  vendor: Vendor | null;
  /** How it is told how much to think. */
  thinking: Thinking;
  /** Whether it takes `temperature` and `topP`: both, one of them at a time, or none. */
  sampling: 'both' | 'either' | 'none';
  /** Whether it answers by a JSON Schema itself and takes strict tools, or answers so by the arguments of a tool only. */
  jsonSchema: 'native' | 'tool' | 'none';
  /** Where `top_k` stands among the model's own fields. */
  topK: readonly string[] | null;
  /** Where it takes marks for the cache: `prompt` is everywhere but in tools. */
  caching: 'everywhere' | 'prompt' | 'none';
}

export type Vendor = 'anthropic' | 'mistral' | 'other';

export type Thinking =
  | { kind: 'none' }
  /** A number of tokens, of the most that the model writes. */
  | { kind: 'budget'; maxOutputTokens: number }
  /** Claude's own choice, guided by an effort; `off` is what turns it off, if it is on and can be. */
  | { kind: 'adaptive'; off: 'unsaid' | 'disabled' | 'between_tools' | 'never'; isTold: boolean }
  | { kind: 'nova' }
  /** `reasoning_effort`, or `reasoning.effort`. */
  | { kind: 'effort'; path: readonly string[] };

const claude: BedrockModel = {
  vendor: 'anthropic',
  thinking: { kind: 'adaptive', off: 'disabled', isTold: true },
  sampling: 'none',
  jsonSchema: 'tool',
  topK: ['top_k'],
  caching: 'everywhere',
};
const claude3: BedrockModel = { ...claude, thinking: { kind: 'none' }, sampling: 'both' };
const other: BedrockModel = {
  vendor: 'other',
  thinking: { kind: 'none' },
  sampling: 'both',
  jsonSchema: 'native',
  topK: null,
  caching: 'none',
};
const nova: BedrockModel = {
  ...other,
  jsonSchema: 'tool',
  topK: ['inferenceConfig', 'topK'],
  caching: 'prompt',
};
const mistral: BedrockModel = { ...other, vendor: 'mistral', topK: ['top_k'] };
const alwaysThinking: Thinking = { kind: 'adaptive', off: 'never', isTold: true };
const budget = (maxOutputTokens: number): Thinking => ({ kind: 'budget', maxOutputTokens });

/**
 * The first that fits counts. Claude's generations: https://platform.claude.com/docs/en/models/overview and
 * https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-adaptive-thinking.html. Which of them compile a
 * schema: https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html; 4.7 to 5 refuse one
 * (https://github.com/vercel/ai/issues/14773), and those after it refuse a forced tool
 * (https://github.com/run-llama/llama_index/issues/23207). Which have a cache:
 * https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html
 */
const modelsByName: readonly [RegExp, BedrockModel][] = [
  [/claude-(fable|mythos)-/, { ...claude, thinking: alwaysThinking, jsonSchema: 'native' }],
  [/claude-opus-5-5(?!\d)/, { ...claude, thinking: alwaysThinking, jsonSchema: 'native' }],
  [
    /claude-sonnet-5-5(?!\d)/,
    {
      ...claude,
      thinking: { kind: 'adaptive', off: 'between_tools', isTold: true },
      jsonSchema: 'native',
    },
  ],
  [/claude-(opus|sonnet|haiku)-5(?!-\d(?!\d))/, claude],
  [
    /claude-(opus|sonnet)-4-6/,
    {
      ...claude,
      thinking: { kind: 'adaptive', off: 'unsaid', isTold: false },
      sampling: 'either',
      jsonSchema: 'native',
    },
  ],
  [/claude-opus-4-[78]/, { ...claude, thinking: { kind: 'adaptive', off: 'unsaid', isTold: true } }],
  [
    /claude-(opus|sonnet|haiku)-4-5/,
    { ...claude, thinking: budget(64_000), sampling: 'either', jsonSchema: 'native' },
  ],
  [/claude-opus-4-1/, { ...claude, thinking: budget(32_000), sampling: 'either' }],
  [/claude-opus-4/, { ...claude, thinking: budget(32_000), sampling: 'both' }],
  [/claude-(sonnet-4|3-7-sonnet)/, { ...claude, thinking: budget(64_000), sampling: 'both' }],
  [/claude-3-5-haiku/, claude3],
  [/claude-(3|v2|instant)/, { ...claude3, caching: 'none' }],
  // Also those to come: the fewest surprises are in what the newest do.
  [/claude-/, { ...claude, jsonSchema: 'native' }],
  [/amazon\.nova-2/, { ...nova, thinking: { kind: 'nova' } }],
  [/amazon\.nova/, nova],
  // https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-openai.html
  [/openai\.gpt-oss/, { ...other, thinking: { kind: 'effort', path: ['reasoning_effort'] } }],
  // https://github.com/vercel/ai/issues/19403
  [
    /openai\./,
    {
      ...other,
      thinking: { kind: 'effort', path: ['reasoning', 'effort'] },
      sampling: 'none',
    },
  ],
  [/moonshot(ai)?\./, { ...other, thinking: { kind: 'effort', path: ['reasoning_effort'] } }],
  [/mistral\.(mixtral|mistral-7b|mistral-(large|small)-24)/, { ...mistral, jsonSchema: 'none' }],
  [/mistral\./, mistral],
  [/cohere\./, { ...other, jsonSchema: 'none', topK: ['k'] }],
  [/(meta|ai21|writer)\.|deepseek\.r1/, { ...other, jsonSchema: 'none' }],
  [/^arn:[^/]*\/[a-z0-9]+$/, { ...other, vendor: null, caching: 'everywhere' }],
];

export function bedrockModel(name: string): BedrockModel {
  return modelsByName.find(([pattern]) => pattern.test(name))?.[1] ?? other;
}
