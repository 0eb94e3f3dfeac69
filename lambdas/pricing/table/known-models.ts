/** Lists the models of the price table that the gateway has an operation for, for `GET /ai/models` when the operator has not configured a list. */
import { bedrockNames } from './bedrock-model-names.ts';
import { type ModelNames, providerInTable } from './price-table-names.ts';
import {
  isMatcherList,
  isSchedule,
  type NameMatcher,
  type PricedModel,
  providerPrices,
  type ScheduledPrices,
} from './provider-prices.ts';

interface KnownModelsRequest {
  provider: string;
  /** Ignored for providers without regions. */
  region: string;
  /** Excludes models that the provider has shut down by this time. */
  at: Date;
}

export function findKnownModels({ provider, region, at }: KnownModelsRequest): string[] {
  const models = providerPrices(providerInTable(provider))?.models ?? [];
  const names: ModelNames = (Object.hasOwn(modelNames, provider) && modelNames[provider]) || {};
  const shutDown = shutDownBy(at, names);
  const listed = models
    .filter((model) => servesAnOperation(model) && !shutDown.has(model[0]))
    .filter(([id]) => !names.excluded?.some((pattern) => pattern.test(id)))
    .flatMap((model) => names.callableNames?.[model[0]] ?? [callableName(model)])
    .filter((name) => names.isInRegion?.(name, region) ?? true);
  return [...new Set(listed)].sort();
}

function shutDownBy(at: Date, { shutDown = {} }: ModelNames): Set<string> {
  const today = at.toISOString().slice(0, 10);
  return new Set(Object.entries(shutDown).flatMap(([day, models]) => (day <= today ? models : [])));
}

const otherModel =
  /(^|[^a-z])(tts|transcribe|whisper|realtime|live|moderation|guard|safeguard|content-safety|image|ocr|rerank|voice|sonic|lyria)([^a-z]|$)/i;

function servesAnOperation([id, prices, , mark]: PricedModel): boolean {
  if (mark === 'deprecated' || otherModel.test(id)) return false;
  const schedule: readonly ScheduledPrices[] = isSchedule(prices) ? prices : [{ prices }];
  // An assumed price often belongs to a model whose name or availability is not certain either.
  if (schedule.every(({ assumed }) => assumed)) return false;
  const priced = new Set(schedule.flatMap((entry) => Object.keys(entry.prices)));
  if (priced.has('output_image') || priced.has('output_video')) return false;
  // A model without any price is free; a model that is not priced by tokens has another use. Embeddings have no output.
  return priced.size === 0 || (priced.has('input') && (priced.has('output') || isEmbeddingModel(id)));
}

/** Returns a name by which the table finds the model; its id is not always one of them. */
function callableName([id, , match = id]: PricedModel): string {
  const exact = exactNames(match);
  return exact === null || exact.includes(id) ? id : (exact[0] ?? id);
}

function exactNames(match: NameMatcher): string[] | null {
  if (typeof match === 'string') return [match];
  if (!isMatcherList(match)) return null;
  const names = match.map(exactNames);
  return names.includes(null) ? null : names.flatMap((each) => each ?? []);
}

const modelNames: Readonly<Record<string, ModelNames>> = {
  openai: {
    excluded: [
      // Fine-tuned models.
      /^ft:|\.ft-/,
      // Served only by the legacy completions endpoint, or only with a tool of their own: https://developers.openai.com/api/docs/models
      /^gpt-3\.5-turbo-instruct|^(text-)?(ada|babbage|curie|davinci)|^computer-use/,
      // OpenRouter's names.
      /:|^gpt-oss-|^gpt-chat-latest$/,
    ],
    // https://developers.openai.com/api/docs/deprecations
    shutDown: {
      '2024-09-13': ['gpt-3.5-0301', 'gpt-3.5-turbo-0613', 'gpt-3.5-turbo-16k'],
      '2025-10-27': ['gpt-4-32k', 'gpt-4-vision-preview', 'gpt-4.5-preview', 'o1-preview', 'o1-mini'],
      '2026-02-12': ['codex-mini'],
      '2026-02-17': ['chatgpt-4o-latest'],
      '2026-07-23': ['gpt-5.1-codex-mini', 'o3-deep-research', 'o4-mini-deep-research'],
      '2026-08-10': ['gpt-5.3'],
      '2026-09-28': ['gpt-3.5-turbo-1106'],
      '2026-10-23': [
        ...['gpt-3.5-turbo', 'gpt-4', 'gpt-4-turbo', 'gpt-4.1-nano', 'gpt-4o-2024-05-13'],
        ...['o1', 'o1-pro', 'o3-mini', 'o4-mini'],
      ],
      '2026-12-11': ['gpt-5', 'gpt-5-mini', 'gpt-5-nano', 'gpt-5-pro', 'o3', 'o3-pro'],
      '2027-01-14': ['gpt-4o', 'gpt-4o-mini', 'gpt-4.1', 'gpt-4.1-mini'],
      '2027-01-20': ['gpt-audio', 'gpt-4o-audio-preview', 'gpt-4o-mini-audio-preview'],
      '2027-04-01': ['gpt-5.1', 'gpt-5.3-codex', 'gpt-5.4-nano'],
    },
  },
  anthropic: {
    // Available only to selected customers.
    excluded: [/mythos/],
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
    excluded: [
      // Names of Vertex AI and OpenRouter.
      /^claude-|-maas$|^gemini-(flash|pro)-1\.5/,
      // Model families.
      /^gemma-[23]/,
    ],
    // https://ai.google.dev/gemini-api/docs/deprecations
    shutDown: {
      '2025-09-29': ['gemini-pro', 'gemini-1.0-pro-vision-001', 'gemini-1.5-flash', 'gemini-1.5-pro'],
      '2026-03-09': ['gemini-3-pro-preview'],
      '2026-06-01': ['gemini-2.0-flash', 'gemini-2.0-flash-lite'],
      // From this day on, these names are aliases of other models.
      '2026-12-01': ['gemini-2.5-flash', 'gemini-2.5-pro'],
    },
  },
  bedrock: bedrockNames,
  // Azure callers use the names of the operator's deployments.
  azure: { excluded: [/^/] },
  mistral: {
    excluded: [
      // OpenRouter's names.
      /-24b-instruct|^mixtral-8x22b-instruct$/,
      // Retired in 2025 and early 2026: https://docs.mistral.ai/models/overview#legacy-models
      /^(mistral-7b|mixtral-8x7b|ministral-3b|ministral-8b|mistral-large|mistral-medium-2312|mistral-saba)$/,
      /^pixtral-/,
    ],
    callableNames: {
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
    excluded: [
      /^(deepseek|gemma|llama2|llama3|llama-3\.2|mistral|mixtral|moonshotai)/,
      /^llama-3\.1-(405b|70b)|-specdec$/,
    ],
    shutDown: {
      '2026-03-09': ['meta-llama/llama-4-maverick-17b-128e-instruct'],
      '2026-07-17': ['meta-llama/llama-4-scout-17b-16e-instruct', 'qwen/qwen3-32b'],
      '2026-08-16': ['llama-3.1-8b-instant', 'llama-3.3-70b-versatile'],
    },
  },
  // All other models of the table are shut down: https://docs.together.ai/docs/deprecations
  together: { excluded: [/^(?!meta-llama\/Llama-3\.3-70B-Instruct-Turbo$)/] },
  deepseek: {
    // OpenRouter's names.
    excluded: [/^deepseek-v3/],
    // https://api-docs.deepseek.com/news/news260424
    shutDown: { '2026-07-24': ['deepseek-chat', 'deepseek-reasoner'] },
  },
  xai: {
    // Served only by the responses endpoint: https://docs.x.ai/developers/models
    excluded: [/-multi-agent$/],
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
    callableNames: {
      'command-a': ['command-a-03-2025'],
      'command-r': ['command-r-08-2024'],
      'command-r-plus': ['command-r-plus-08-2024'],
      'command-r7b': ['command-r7b-12-2024'],
    },
    shutDown: { '2025-09-15': ['command'] },
  },
  openrouter: {
    // Every callable name begins with the model's author; batch models are not chat models.
    excluded: [/^[^/]*$/, /:batch$/],
  },
};

/** Families of open models do not name their use. `e5` and others stand at the beginning of a part of the name. */
const embeddingModel = /embed|minilm|nomic|(^|[^a-z0-9])(bge|e5|gte)-/i;

/** Tells models for embeddings from models for completions, which neither providers nor the price table do. */
export function isEmbeddingModel(name: string): boolean {
  return embeddingModel.test(name);
}
