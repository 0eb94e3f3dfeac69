/** How the models of the price table are called, where the table itself does not say it, and when they go. */
import { bedrockNames } from './bedrock-model-names.ts';

export interface ModelNames {
  /** Models that are none of this provider's, or that no chat completion reaches, by the table's names. */
  leaveOut?: readonly RegExp[];
  /** The provider's names of a model, where the table's is not one of them. */
  called?: Readonly<Record<string, readonly string[]>>;
  /** The table's names, by the day (UTC) on which the provider shuts the models down. */
  shutDown?: Readonly<Record<string, readonly string[]>>;
  /** Whether a name can be called from a region, where that makes a difference. */
  isInRegion?: (name: string, region: string) => boolean;
}

export const modelNames: Readonly<Record<string, ModelNames>> = {
  openai: {
    leaveOut: [
      // Fine-tuned models have names of their own.
      /^ft:|\.ft-/,
      // Answered by the endpoints for responses and for bare completions: https://developers.openai.com/api/docs/models
      /-(pro|codex|codex-mini|deep-research)$|^codex-|^computer-use/,
      /^gpt-3\.5-turbo-instruct|^(text-)?(ada|babbage|curie|davinci)/,
      // OpenRouter's.
      /:|^gpt-oss-|^gpt-chat-latest$/,
    ],
    // https://developers.openai.com/api/docs/deprecations
    shutDown: {
      '2024-09-13': ['gpt-3.5-0301', 'gpt-3.5-turbo-0613', 'gpt-3.5-turbo-16k'],
      '2025-10-27': ['gpt-4-32k', 'gpt-4-vision-preview', 'gpt-4.5-preview', 'o1-preview', 'o1-mini'],
      '2026-02-17': ['chatgpt-4o-latest'],
      '2026-08-10': ['gpt-5.3'],
      '2026-09-28': ['gpt-3.5-turbo-1106'],
      '2026-10-23': [
        ...['gpt-3.5-turbo', 'gpt-4', 'gpt-4-turbo', 'gpt-4.1-nano', 'gpt-4o-2024-05-13'],
        ...['o1', 'o3-mini', 'o4-mini'],
      ],
      '2026-12-11': ['gpt-5', 'gpt-5-mini', 'gpt-5-nano', 'o3'],
      '2027-01-14': ['gpt-4o', 'gpt-4o-mini', 'gpt-4.1', 'gpt-4.1-mini'],
      '2027-01-20': ['gpt-audio', 'gpt-4o-audio-preview', 'gpt-4o-mini-audio-preview'],
      '2027-04-01': ['gpt-5.1', 'gpt-5.4-nano'],
    },
  },
  anthropic: {
    // https://platform.claude.com/docs/en/about-claude/model-deprecations
    shutDown: {
      '2024-11-06': ['claude-v1'],
      '2025-07-21': ['claude-2', 'claude-3-sonnet'],
      '2025-10-28': ['claude-3-5-sonnet'],
      '2026-01-05': ['claude-3-opus-latest'],
      '2026-02-19': ['claude-3-7-sonnet-latest', 'claude-3-5-haiku-latest'],
      '2026-04-20': ['claude-3-haiku'],
      '2026-06-15': ['claude-opus-4-0', 'claude-sonnet-4-0'],
      '2026-08-05': ['claude-opus-4-1'],
      '2026-11-30': ['claude-sonnet-4-5'],
    },
  },
  google: {
    leaveOut: [
      // Vertex AI's, and OpenRouter's.
      /^claude-|-maas$|^gemini-(flash|pro)-1\.5/,
      // Names of families.
      /^gemma-[23]/,
    ],
    // https://ai.google.dev/gemini-api/docs/deprecations
    shutDown: {
      '2025-09-29': ['gemini-pro', 'gemini-1.0-pro-vision-001', 'gemini-1.5-flash', 'gemini-1.5-pro'],
      '2026-03-09': ['gemini-3-pro-preview'],
      '2026-06-01': ['gemini-2.0-flash', 'gemini-2.0-flash-lite'],
      // From then on other models answer under these names.
      '2026-12-01': ['gemini-2.5-flash', 'gemini-2.5-pro'],
    },
  },
  bedrock: bedrockNames,
  // A model is called by the name of the operator's deployment.
  azure: { leaveOut: [/^/] },
  mistral: {
    leaveOut: [
      // OpenRouter's.
      /:free$|-24b-instruct|^mixtral-8x22b-instruct$/,
      // Retired in 2025 and early 2026: https://docs.mistral.ai/models/overview#legacy-models
      /^(mistral-7b|mixtral-8x7b|ministral-3b|ministral-8b|mistral-large|mistral-medium-2312|mistral-saba)$/,
      /^pixtral-/,
    ],
    called: {
      'ministral-3b-2512': ['ministral-3b-2512', 'ministral-3b-latest'],
      'ministral-14b-2512': ['ministral-14b-2512', 'ministral-14b-latest'],
      'mistral-large-2512': ['mistral-large-2512', 'mistral-large-latest'],
      'voxtral-small-24b-2507': ['voxtral-small-2507', 'voxtral-small-latest'],
    },
    // https://github.com/mistralai/platform-docs-public/pull/496
    shutDown: {
      '2026-07-31': ['devstral-2512', 'magistral-medium', 'magistral-small', 'mistral-nemo'],
      '2026-08-31': ['mistral-medium-3-1'],
    },
  },
  groq: {
    // https://console.groq.com/docs/deprecations
    leaveOut: [
      /^(deepseek|gemma|llama2|llama3|llama-3\.2|mistral|mixtral|moonshotai)/,
      /^llama-3\.1-(405b|70b)|-specdec$/,
    ],
    shutDown: {
      '2026-03-09': ['meta-llama/llama-4-maverick-17b-128e-instruct'],
      '2026-07-17': ['meta-llama/llama-4-scout-17b-16e-instruct', 'qwen/qwen3-32b'],
      '2026-08-16': ['llama-3.1-8b-instant', 'llama-3.3-70b-versatile'],
    },
  },
  // All others that the table has are gone: https://docs.together.ai/docs/deprecations
  together: { leaveOut: [/^(?!meta-llama\/Llama-3\.3-70B-Instruct-Turbo$)/] },
  deepseek: {
    // OpenRouter's.
    leaveOut: [/^deepseek-v3/],
    // https://api-docs.deepseek.com/news/news260424
    shutDown: { '2026-07-24': ['deepseek-chat', 'deepseek-reasoner'] },
  },
  xai: {
    // Answered by the endpoint for responses alone: https://docs.x.ai/developers/models
    leaveOut: [/-multi-agent$/],
    // https://docs.x.ai/developers/migration/may-15-retirement
    shutDown: {
      '2026-05-15': [
        ...['grok-3', 'grok-4-0709', 'grok-4-fast-reasoning', 'grok-4-fast-non-reasoning'],
        ...['grok-4-1-fast-reasoning', 'grok-4-1-fast-non-reasoning', 'grok-code-fast-1'],
      ],
    },
  },
  cerebras: {
    // https://inference-docs.cerebras.ai/support/deprecation
    shutDown: { '2025-11-05': ['qwen-3-coder-480b'] },
  },
  cohere: {
    // https://docs.cohere.com/docs/models
    called: {
      'command-a': ['command-a-03-2025'],
      'command-r': ['command-r-08-2024'],
      'command-r-plus': ['command-r-plus-08-2024'],
      'command-r7b': ['command-r7b-12-2024'],
    },
    shutDown: { '2025-09-15': ['command'] },
  },
  openrouter: {
    // Every name there begins with its author's; batches are no chats.
    leaveOut: [/^[^/]*$/, /:batch$/],
  },
};
