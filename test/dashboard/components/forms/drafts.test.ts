import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { signInSessionQuery } from '#dashboard/api/sign-in.ts';
import { useDraft, useHasDraft } from '#dashboard/components/forms/drafts.ts';

const stored = new Map<string, string>();

beforeEach(() => {
  stored.clear();
  vi.stubGlobal('location', { pathname: '/organizations/org_1/keys' });
  vi.stubGlobal('sessionStorage', { getItem: (name: string) => stored.get(name) ?? null });
});
afterEach(() => void vi.unstubAllGlobals());

const values = { 'key/name': 'production', 'key/limit': { amount: '5', hard: true } };
const drafts = { userId: 'user_1', path: '/organizations/org_1/keys', values };

/** The values with which a form of the user begins. */
function formOf(userId: string) {
  const client = new QueryClient();
  client.setQueryData(signInSessionQuery.queryKey, { user: { id: userId } } as never);
  let form: unknown;
  function Form() {
    const [name] = useDraft('key/name', '');
    const [limit] = useDraft('key/limit', { amount: '', hard: false });
    form = { name, limit, isOpen: useHasDraft('key') };
    return null;
  }
  renderToStaticMarkup(createElement(QueryClientProvider, { client }, createElement(Form)));
  return form;
}

const empty = { name: '', limit: { amount: '', hard: false } };

it('A form is open with what was entered when the session ended', () => {
  stored.set('drafts', JSON.stringify(drafts));
  expect(formOf('user_1')).toEqual({
    name: 'production',
    limit: { amount: '5', hard: true },
    isOpen: true,
  });
});

it.each([
  ['of another user', { ...drafts, userId: 'user_2' }, false],
  ['of another view', { ...drafts, path: '/organizations/org_2/keys' }, false],
  ['of another form', { ...drafts, values: { 'keys/name': 'x' } }, false],
  ['of another version', { ...drafts, values: { 'key/name': 5, 'key/limit': { amount: '5' } } }, true],
  ['that is null', { ...drafts, values: { 'key/name': null, 'key/limit': null } }, true],
])('A form does not begin with a draft %s', (_case, written, isOpen) => {
  stored.set('drafts', JSON.stringify(written));
  expect(formOf('user_1')).toEqual({ ...empty, isOpen });
});

it.each([undefined, '', '{', 'null', '[]'])('A form is empty with %j in the storage', (text) => {
  if (text !== undefined) stored.set('drafts', text);
  expect(formOf('user_1')).toEqual({ ...empty, isOpen: false });
});

it('A form is empty without a storage', () => {
  vi.stubGlobal('sessionStorage', undefined);
  expect(formOf('user_1')).toEqual({ ...empty, isOpen: false });
});
