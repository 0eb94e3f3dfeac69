/**
 * The capabilities of Bedrock's models by name: a model id, an inference profile (`us.…`), or an ARN that ends in either.
 * An ARN without a model name can stand for any model, so no restriction is assumed.
 *
 * https://docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference-supported-models-features.html
 */

export interface BedrockModel {
  vendor: Vendor | null;
  thinking: Thinking;
  /** The accepted combination of `temperature` and `topP`. */
  sampling: 'both' | 'either' | 'none';
  /** `native`: supports JSON Schemas and strict tools; `tool`: the JSON has to be the arguments of a tool call. */
  jsonSchema: 'native' | 'tool' | 'none';
  /** The path of `top_k` in the model's fields; `null` when it is not supported. */
  topK: readonly string[] | null;
  /** The places where cache points are accepted; `prompt` excludes tools. */
  caching: 'everywhere' | 'prompt' | 'none';
  /** Whether the schema of a tool may say more than the type, properties and required ones of its arguments. */
  annotatedTools: boolean;
}

type Vendor = 'anthropic' | 'mistral' | 'other';

type Thinking =
  | { kind: 'none' }
  | { kind: 'budget'; maxOutputTokens: number }
  /**
   * Claude decides how much to think, guided by an effort. `off` is the type of `thinking` that turns it off, or
   * `implicit` if it is off by default. When `summarized` is true, the thinking is returned only on request.
   */
  | { kind: 'adaptive'; off: 'implicit' | 'disabled' | 'between_tools' | 'never'; summarized: boolean }
  | { kind: 'nova' }
  /** The path of the effort in the model's fields. */
  | { kind: 'effort'; path: readonly string[] };

const claude: BedrockModel = {
  vendor: 'anthropic',
  thinking: { kind: 'adaptive', off: 'disabled', summarized: true },
  sampling: 'none',
  jsonSchema: 'tool',
  topK: ['top_k'],
  caching: 'everywhere',
  annotatedTools: true,
};
const claude3: BedrockModel = { ...claude, thinking: { kind: 'none' }, sampling: 'both' };
const other: BedrockModel = {
  vendor: 'other',
  thinking: { kind: 'none' },
  sampling: 'both',
  jsonSchema: 'native',
  topK: null,
  caching: 'none',
  annotatedTools: true,
};
const nova: BedrockModel = {
  ...other,
  jsonSchema: 'tool',
  topK: ['inferenceConfig', 'topK'],
  caching: 'prompt',
  annotatedTools: false,
};
const mistral: BedrockModel = { ...other, vendor: 'mistral', topK: ['top_k'] };
const alwaysThinking: Thinking = { kind: 'adaptive', off: 'never', summarized: true };
const budget = (maxOutputTokens: number): Thinking => ({ kind: 'budget', maxOutputTokens });

/**
 * The first match applies. Claude's generations: https://platform.claude.com/docs/en/models/overview and
 * https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-adaptive-thinking.html. Support for schemas:
 * https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html; 4.7 to 5 reject schemas
 * (https://github.com/vercel/ai/issues/14773), and later ones reject a forced tool call
 * (https://github.com/run-llama/llama_index/issues/23207). Support for caching:
 * https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html
 */
const modelsByName: readonly [RegExp, BedrockModel][] = [
  [/claude-(fable|mythos)-/, { ...claude, thinking: alwaysThinking, jsonSchema: 'native' }],
  [/claude-opus-5-5(?!\d)/, { ...claude, thinking: alwaysThinking, jsonSchema: 'native' }],
  [
    /claude-sonnet-5-5(?!\d)/,
    {
      ...claude,
      thinking: { kind: 'adaptive', off: 'between_tools', summarized: true },
      jsonSchema: 'native',
    },
  ],
  [/claude-(opus|sonnet|haiku)-5(?!-\d(?!\d))/, claude],
  [
    /claude-(opus|sonnet)-4-6/,
    {
      ...claude,
      thinking: { kind: 'adaptive', off: 'implicit', summarized: false },
      sampling: 'either',
      jsonSchema: 'native',
    },
  ],
  [/claude-opus-4-[78]/, { ...claude, thinking: { kind: 'adaptive', off: 'implicit', summarized: true } }],
  [
    /claude-(opus|sonnet|haiku)-4-5/,
    { ...claude, thinking: budget(64_000), sampling: 'either', jsonSchema: 'native' },
  ],
  [/claude-opus-4-1/, { ...claude, thinking: budget(32_000), sampling: 'either' }],
  [/claude-opus-4/, { ...claude, thinking: budget(32_000), sampling: 'both' }],
  [/claude-(sonnet-4|3-7-sonnet)/, { ...claude, thinking: budget(64_000), sampling: 'both' }],
  [/claude-3-5-haiku/, claude3],
  [/claude-(3|v2|instant)/, { ...claude3, caching: 'none' }],
  // Future models will probably behave like the latest.
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

export function mayBeClaude({ vendor }: BedrockModel): boolean {
  return vendor === 'anthropic' || vendor === null;
}

export function bedrockModel(name: string): BedrockModel {
  return modelsByName.find(([pattern]) => pattern.test(name))?.[1] ?? other;
}
