/** What the price table calls a provider and a model, where the provider itself calls them otherwise. */

interface TableNames {
  /** The table's name of the provider. */
  provider?: string;
  /** Models that the table does not know, or knows an older price of. */
  models?: Readonly<Record<string, string>>;
  /** What is taken off a model's name, one after the other, until the table knows it. */
  leaveOut?: readonly RegExp[];
}

const namesByProvider: Readonly<Record<string, TableNames>> = {
  bedrock: {
    provider: 'aws',
    leaveOut: [
      // arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-…
      /^arn:[^/]*\//,
      // An inference profile within a geography costs what the model costs in a region; `global.` costs less.
      // https://platform.claude.com/docs/en/build-with-claude/claude-in-amazon-bedrock#regions
      /^(us|eu|apac|au|ca|in|jp)\./,
    ],
  },
  google: {
    // `models/gemini-2.5-flash` is the whole name; `-001` is a version of the model without it, at its price.
    // https://ai.google.dev/gemini-api/docs/models
    leaveOut: [/^models\//, /-\d{3}$/],
  },
  mistral: {
    // Mistral answers with the alias. What it stands for: https://docs.mistral.ai/models
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

/** The names to look a model up by, best first. */
export function modelNamesInTable(provider: string, model: string): string[] {
  const { models = {}, leaveOut = [] } = namesOf(provider);
  let name = (Object.hasOwn(models, model) && models[model]) || model;
  const names = new Set([name]);
  for (const part of leaveOut) {
    name = name.replace(part, '');
    names.add(name);
  }
  return [...names];
}

function namesOf(provider: string): TableNames {
  return (Object.hasOwn(namesByProvider, provider) && namesByProvider[provider]) || {};
}
