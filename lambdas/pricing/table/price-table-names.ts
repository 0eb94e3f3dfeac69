/** The price table's names of providers and models, where they differ from the providers' own names. */

/** The name of an inference profile of Bedrock begins with the geography over which it distributes requests. */
export const geographyPattern = /(?:^|\/)(global|us|eu|apac|au|ca|in|jp)\./;
/** arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-… */
const arnPattern = /^arn:[^/]*\//;

/** Returns the model behind an inference profile of Bedrock. A profile without a model's name keeps its own id. */
export function foundationModelOf(name: string): string {
  return name.replace(arnPattern, '').replace(geographyPattern, '');
}

/** Without `global`, whose prices differ. */
const regionalGeographyPattern = /^(us|eu|apac|au|ca|in|jp)\./;

interface PriceTableNames {
  /** The table's name of the provider. */
  provider?: string;
  /** By the provider's name of a model: its name in the table, where the table lacks that name or has an outdated price. */
  models?: Readonly<Record<string, string>>;
  /** Parts to remove from a model's name, one after the other, until the table has a model with this name. */
  ignoredParts?: readonly RegExp[];
}

const namesByProvider: Readonly<Record<string, PriceTableNames>> = {
  bedrock: {
    provider: 'aws',
    ignoredParts: [
      arnPattern,
      // A geographic inference profile has the same price as the model in a region; `global.` is cheaper.
      // https://platform.claude.com/docs/en/build-with-claude/claude-in-amazon-bedrock#regions
      regionalGeographyPattern,
    ],
  },
  google: {
    // `models/gemini-2.5-flash` is the full name; `-001` is a version of the model with the same price.
    // https://ai.google.dev/gemini-api/docs/models
    ignoredParts: [/^models\//, /-\d{3}$/],
  },
  mistral: {
    // Mistral's responses contain the alias. The models behind the aliases: https://docs.mistral.ai/models
    models: {
      'codestral-latest': 'codestral-2508',
      'devstral-latest': 'devstral-2512',
      'devstral-medium-latest': 'devstral-2512',
      'ministral-3b-latest': 'ministral-3b-2512',
      'ministral-14b-latest': 'ministral-14b-2512',
      'mistral-large-latest': 'mistral-large-2512',
      'mistral-small-latest': 'mistral-small-2603',
    },
  },
  xai: { provider: 'x-ai' },
};

export function providerInTable(provider: string): string {
  return namesOf(provider).provider ?? provider;
}

/** Returns the names to look up, best first. */
export function modelNamesInTable(provider: string, model: string): string[] {
  const { models = {}, ignoredParts = [] } = namesOf(provider);
  let name = (Object.hasOwn(models, model) && models[model]) || model;
  const names = new Set([name]);
  for (const part of ignoredParts) {
    name = name.replace(part, '');
    names.add(name);
  }
  return [...names];
}

function namesOf(provider: string): PriceTableNames {
  return (Object.hasOwn(namesByProvider, provider) && namesByProvider[provider]) || {};
}

/** Corrections that turn the price table's model ids into names that callers can use. */
export interface ModelNames {
  /** Matches the table's ids of models of another provider and of models without a chat completions endpoint. */
  excluded?: readonly RegExp[];
  /** The provider's names of a model, by the table's id, if the id is not one of them. */
  callableNames?: Readonly<Record<string, readonly string[]>>;
  /** The table's ids, by the day (UTC) when the provider shuts the models down. */
  shutDown?: Readonly<Record<string, readonly string[]>>;
  /** Missing for providers without regions. */
  isInRegion?: (name: string, region: string) => boolean;
}
