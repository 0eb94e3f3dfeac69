/** Code that sends a first request with a new key. */
import type { OperationName } from '#lambdas/request-log/operation.ts';

export const snippetLanguages = ['curl', 'Python', 'TypeScript'] as const;

export type SnippetLanguage = (typeof snippetLanguages)[number];

export const snippetOperations = ['chat.completions', 'embeddings'] as const satisfies OperationName[];

export type SnippetOperation = (typeof snippetOperations)[number];

export interface SnippetValues {
  operation: SnippetOperation;
  /** As OpenAI clients expect it: ends in `/ai`. */
  baseUrl: string;
  key: string;
  model: string;
}

/** The code that differs between operations. */
interface OperationCode {
  path: string;
  /** The call of OpenAI's clients. */
  method: string;
  /** The field beside the model. */
  input: Record<SnippetLanguage, string>;
  /** The result within the response. */
  result: Record<Exclude<SnippetLanguage, 'curl'>, string>;
}

const operationCode: Record<SnippetOperation, OperationCode> = {
  'chat.completions': {
    path: '/chat/completions',
    method: 'chat.completions.create',
    input: {
      curl: '"messages": [{"role": "user", "content": "Hello!"}]',
      Python: 'messages=[{"role": "user", "content": "Hello!"}]',
      TypeScript: 'messages: [{ role: "user", content: "Hello!" }]',
    },
    result: { Python: 'choices[0].message.content', TypeScript: 'choices[0]?.message.content' },
  },
  embeddings: {
    path: '/embeddings',
    method: 'embeddings.create',
    input: { curl: '"input": "Hello!"', Python: 'input="Hello!"', TypeScript: 'input: "Hello!"' },
    result: { Python: 'data[0].embedding', TypeScript: 'data[0]?.embedding' },
  },
};

export const snippets: Record<SnippetLanguage, (values: SnippetValues) => string> = {
  curl: ({ operation, baseUrl, key, model }) => {
    const { path, input } = operationCode[operation];
    const body = `{
    "model": ${JSON.stringify(model)},
    ${input.curl}
  }`;
    return `curl ${baseUrl}${path} \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d ${shellQuoted(body)}
# Optional, to group usage in logs and costs:
#   -H "gateway-user-id: ada"
#   -H "gateway-session-id: session-1"
#   -H "gateway-prompt-id: greeting"`;
  },

  Python({ operation, baseUrl, key, model }) {
    const { method, input, result } = operationCode[operation];
    return `from openai import OpenAI  # pip install openai

client = OpenAI(
    base_url=${JSON.stringify(baseUrl)},
    api_key=${JSON.stringify(key)},
)
response = client.${method}(
    model=${JSON.stringify(model)},
    ${input.Python},
    # Optional, to group usage in logs and costs:
    # extra_headers={
    #     "gateway-user-id": "ada",
    #     "gateway-session-id": "session-1",
    #     "gateway-prompt-id": "greeting",
    # },
)
print(response.${result.Python})`;
  },

  TypeScript({ operation, baseUrl, key, model }) {
    const { method, input, result } = operationCode[operation];
    return `import OpenAI from "openai"; // npm install openai

const client = new OpenAI({
  baseURL: ${JSON.stringify(baseUrl)},
  apiKey: ${JSON.stringify(key)},
});
const response = await client.${method}({
  model: ${JSON.stringify(model)},
  ${input.TypeScript},
}, {
  // Optional, to group usage in logs and costs:
  // headers: {
  //   "gateway-user-id": "ada",
  //   "gateway-session-id": "session-1",
  //   "gateway-prompt-id": "greeting",
  // },
});
console.log(response.${result.TypeScript});`;
  },
};

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
