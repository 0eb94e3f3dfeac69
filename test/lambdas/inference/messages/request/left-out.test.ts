/** Parameters of Anthropic's own that a request to a provider with another format loses. */
import { describe, expect, it } from 'vitest';
import { toGoogleRequest } from '#lambdas/inference/providers/google/request.ts';
import { renderChatRequest } from '#lambdas/inference/providers/openai/conversion/request.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { filterObjects } from '#lambdas/platform/json/json.ts';
import { readMessages } from '#test/support/messages/read.ts';

const look = { name: 'look', input_schema: { type: 'object', properties: {} } };
const search = { type: 'web_search_20250305', name: 'web_search', max_uses: 5 };

const renders = {
  google(fields: Record<string, unknown>) {
    const { body, ignoredParameters } = toGoogleRequest(readMessages(fields), {
      provider: 'google',
      model: 'gemini-3.5-flash',
    });
    const names = filterObjects(body.tools)
      .flatMap(({ functionDeclarations }) => filterObjects(functionDeclarations))
      .map(({ name }) => name);
    return { body, ignored: ignoredParameters, names };
  },
  openai(fields: Record<string, unknown>, isOpenAi = true) {
    const { body, ignored } = renderChatRequest(readMessages(fields), {
      provider: 'openai',
      model: 'gpt-x',
      stream: false,
      entry: { requestRules: null, reasoningField: null, isOpenAi },
    });
    const names = filterObjects(body.tools).map((tool) => Object(tool.function).name);
    return { body, ignored, names };
  },
};

const refusalOf = (render: () => unknown) => {
  try {
    render();
  } catch (error) {
    if (error instanceof GatewayError) return { code: error.code, param: error.param };
    throw error;
  }
  return null;
};

describe.each(Object.entries(renders))('At %s', (_, render) => {
  it('tools that Anthropic runs are left out beside others', () => {
    const { names, ignored } = render({ tools: [search, look] });
    expect([names, ignored]).toEqual([['look'], ['tools.web_search']]);
  });

  it.each([
    ['alone', { tools: [search] }, 'tools.0.type'],
    [
      'as the choice',
      { tools: [look, search], tool_choice: { type: 'tool', name: 'web_search' } },
      'tools.1.type',
    ],
  ])('tools that Anthropic runs are refused %s', (__, fields, param) => {
    expect(refusalOf(() => render(fields))).toEqual({ code: 'unsupported_parameter', param });
  });

  it('a thread, a container and servers of tools are refused', () => {
    for (const name of ['thread', 'container', 'mcp_servers']) {
      expect(refusalOf(() => render({ [name]: ['x'] }))).toEqual({
        code: 'unsupported_parameter',
        param: name,
      });
    }
  });

  it('hints are left out', () => {
    const { ignored } = render({
      thinking: { type: 'enabled', budget_tokens: 1024, display: 'omitted' },
      max_tokens: 1024,
      context_management: { edits: [{}] },
    });
    expect(ignored).toEqual(
      expect.arrayContaining(['context_management', 'thinking.budget_tokens', 'thinking.display']),
    );
  });
});

describe('The end user', () => {
  const user = (length: number) => ({ metadata: { user_id: 'u'.repeat(length) } });

  it.each([
    [64, true, 'u'.repeat(64), []],
    [65, true, undefined, ['metadata.user_id']],
    [65, false, undefined, ['metadata.user_id']],
  ])('with a name of %s characters at OpenAI itself (%s) is %s', (length, isOpenAi, sent, left) => {
    const { body, ignored } = renders.openai(user(length), isOpenAi);
    expect([body.user, ignored]).toEqual([sent, left]);
  });
});
