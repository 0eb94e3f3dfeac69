/** Code that sends a first request with a new key. */
import type { OperationName } from '#lambdas/request-log/operation.ts';
import { claudeCodeSnippet, codexSnippet, shellQuoted } from './agents.ts';
import type { ExampleModels } from './example-model.ts';

const snippetLanguages = ['curl', 'Python', 'TypeScript'] as const;

type SnippetLanguage = (typeof snippetLanguages)[number];

/** Operations of code, and the agents. */
const snippetSubjects = ['chat.completions', 'responses', 'embeddings', 'agents'] as const;

export type SnippetSubject = (typeof snippetSubjects)[number];

type CodeOperation = Exclude<SnippetSubject, 'agents'> & OperationName;

export interface SnippetValues {
  /** Ends in `/ai`. */
  baseUrl: string;
  key: string;
  models: ExampleModels;
}

export interface Snippet {
  /** The language, or the agent. */
  title: string;
  text: string;
}

/** The subjects for which there is a model. */
export function subjectsOf(models: ExampleModels): SnippetSubject[] {
  return snippetSubjects.filter((subject) => subject === 'agents' || models[subject] !== null);
}

const operationCode: Record<CodeOperation, OperationCode> = {
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
  responses: {
    path: '/responses',
    method: 'responses.create',
    input: { curl: '"input": "Hello!"', Python: 'input="Hello!"', TypeScript: 'input: "Hello!"' },
    result: { Python: 'output_text', TypeScript: 'output_text' },
  },
  embeddings: {
    path: '/embeddings',
    method: 'embeddings.create',
    input: { curl: '"input": "Hello!"', Python: 'input="Hello!"', TypeScript: 'input: "Hello!"' },
    result: { Python: 'data[0].embedding', TypeScript: 'data[0]?.embedding' },
  },
};

const codeIn: Record<SnippetLanguage, (values: CodeValues) => string> = {
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

export function snippetsFor(subject: SnippetSubject, { baseUrl, key, models }: SnippetValues): Snippet[] {
  if (subject === 'agents') return agentSnippets({ baseUrl, key, models });
  const model = models[subject];
  if (model === null) return [];
  return snippetLanguages.map((title) => ({
    title,
    text: codeIn[title]({ operation: subject, baseUrl, key, model }),
  }));
}

function agentSnippets({ baseUrl, key, models: { claudeCode, codex } }: SnippetValues): Snippet[] {
  const snippets = [{ title: 'Claude Code', text: claudeCodeSnippet({ baseUrl, key, models: claudeCode }) }];
  if (codex === null) return snippets;
  return [...snippets, { title: 'Codex', text: codexSnippet({ baseUrl, key, model: codex }) }];
}

interface CodeValues extends Pick<SnippetValues, 'baseUrl' | 'key'> {
  operation: CodeOperation;
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
