/**
 * The models that the Bedrock fake has, and what each can be asked for.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/models-supported.html,
 * https://docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference-supported-models-features.html
 */
import { BedrockRefusal, refuse } from './bedrock-errors.ts';

export interface BedrockModel {
  vendor: 'anthropic' | 'amazon' | 'meta' | 'openai' | 'mistral';
  /** Only through an inference profile such as `us.…`. */
  needsProfile?: boolean;
  toolChoices: readonly ('auto' | 'any' | 'tool')[];
  /** Takes `outputConfig.textFormat` and `strict` tools. */
  structuredOutput?: boolean;
  reasoning: 'none' | 'budget' | 'adaptive' | 'nova' | 'effort';
  /** Takes `temperature` and `topP`. */
  sampling?: boolean;
  /** Not both of `temperature` and `topP`. */
  samplingIsExclusive?: boolean;
  images?: boolean;
  caching?: boolean;
}

const allChoices = ['auto', 'any', 'tool'] as const;

const claude = {
  vendor: 'anthropic',
  needsProfile: true,
  toolChoices: allChoices,
  reasoning: 'adaptive',
  images: true,
  caching: true,
} as const satisfies BedrockModel;

const models: Readonly<Record<string, BedrockModel>> = {
  'anthropic.claude-3-haiku-20240307-v1:0': {
    ...claude,
    needsProfile: false,
    reasoning: 'none',
    sampling: true,
    caching: false,
  },
  'anthropic.claude-haiku-4-5-20251001-v1:0': {
    ...claude,
    reasoning: 'budget',
    structuredOutput: true,
    sampling: true,
    samplingIsExclusive: true,
  },
  'anthropic.claude-sonnet-4-5-20250929-v1:0': {
    ...claude,
    reasoning: 'budget',
    structuredOutput: true,
    sampling: true,
    samplingIsExclusive: true,
  },
  'anthropic.claude-opus-4-6-v1': {
    ...claude,
    structuredOutput: true,
    sampling: true,
    samplingIsExclusive: true,
  },
  'anthropic.claude-opus-4-7': claude,
  'anthropic.claude-opus-5': claude,
  'anthropic.claude-sonnet-5': claude,
  'anthropic.claude-opus-5-5': { ...claude, toolChoices: ['auto'], structuredOutput: true },
  'amazon.nova-lite-v1:0': {
    vendor: 'amazon',
    toolChoices: allChoices,
    reasoning: 'none',
    sampling: true,
    images: true,
    caching: true,
  },
  'amazon.nova-2-lite-v1:0': {
    vendor: 'amazon',
    needsProfile: true,
    toolChoices: allChoices,
    reasoning: 'nova',
    sampling: true,
    images: true,
    caching: true,
  },
  'meta.llama3-3-70b-instruct-v1:0': {
    vendor: 'meta',
    needsProfile: true,
    toolChoices: ['auto'],
    reasoning: 'none',
    sampling: true,
  },
  'openai.gpt-oss-120b-1:0': {
    vendor: 'openai',
    toolChoices: ['auto'],
    structuredOutput: true,
    reasoning: 'effort',
    sampling: true,
  },
  'mistral.mistral-large-2402-v1:0': {
    vendor: 'mistral',
    toolChoices: ['auto', 'any'],
    reasoning: 'none',
    sampling: true,
  },
};

const retired = ['anthropic.claude-v2', 'anthropic.claude-v2:1', 'anthropic.claude-instant-v1'];

/** An id, an inference profile of it, or an ARN that ends in either. */
export function findModel(name: string, unknownModels: readonly string[] = []): BedrockModel {
  const id = name.replace(/^arn:aws:bedrock:[a-z0-9-]*:\d*:(foundation-model|inference-profile)\//, '');
  const model = id.replace(/^(us|eu|apac|jp|au|global|us-gov)\./, '');
  if (retired.includes(model)) {
    throw new BedrockRefusal(
      'ResourceNotFoundException',
      'This model version has reached the end of its life. Please refer to the AWS documentation for more details.',
    );
  }
  const found = Object.hasOwn(models, model) ? models[model] : undefined;
  if (found === undefined || unknownModels.includes(name))
    refuse('The provided model identifier is invalid.');
  if (found.needsProfile === true && id === model) {
    refuse(
      `Invocation of model ID ${model} with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile that contains this model.`,
    );
  }
  return found;
}
