/**
 * Drafts: what is entered in a form when the session ends is there again after the sign-in, which leaves the page. They are in
 * the storage of the tab only in between, and forms have nothing secret.
 */
import { QueryClientContext } from '@tanstack/react-query';
import { type Dispatch, type SetStateAction, useContext, useEffect, useState } from 'react';
import { signInSessionQuery } from '#dashboard/api/sign-in.ts';

const storageKey = 'drafts';

interface Drafts {
  userId: string;
  /** The path of the view. */
  path: string;
  /** Such as `key/name`: a form and its field. */
  values: Record<string, unknown>;
}

/** The values of the forms that are open. */
const openValues = new Map<string, unknown>();

/** Keeps what is entered at present, for the same user on the same page. */
export function keepDrafts(userId: string): void {
  if (openValues.size === 0) return;
  const drafts: Drafts = { userId, path: location.pathname, values: Object.fromEntries(openValues) };
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(drafts));
  } catch {
    // Without storage, it has to be entered again.
  }
}

function readDrafts(userId: string | undefined): Drafts['values'] {
  try {
    const drafts: Drafts | null = JSON.parse(sessionStorage.getItem(storageKey) ?? 'null');
    return drafts?.userId === userId && drafts?.path === location.pathname ? drafts.values : {};
  } catch {
    return {};
  }
}

function forgetDrafts(): void {
  try {
    sessionStorage.removeItem(storageKey);
  } catch {
    // As above.
  }
}

function useDrafts(): Drafts['values'] {
  const queryClient = useContext(QueryClientContext);
  const [drafts] = useState(() =>
    readDrafts(queryClient?.getQueryData(signInSessionQuery.queryKey)?.user.id),
  );
  return drafts;
}

/** Whether the form was open when the session ended: then it is open again. */
export function useHasDraft(form: string): boolean {
  return Object.keys(useDrafts()).some((name) => name.startsWith(`${form}/`));
}

/**
 * The state of a form's field, which begins with its draft.
 *
 * @param name the form and the field, such as `key/name`; `null` without drafts
 */
export function useDraft<Value>(
  name: string | null,
  initial: Value,
): [Value, Dispatch<SetStateAction<Value>>] {
  const draft = useDrafts()[name ?? ''];
  const [value, setValue] = useState(isLike(draft, initial) ? draft : initial);
  // The form has taken it.
  useEffect(forgetDrafts, []);
  useEffect(() => {
    if (name === null) return;
    openValues.set(name, value);
    return () => void openValues.delete(name);
  }, [name, value]);
  return [value, setValue];
}

/** Another version of the page may have written it. */
function isLike<Value>(draft: unknown, initial: Value): draft is Value {
  if (typeof draft !== typeof initial || draft === null) return false;
  if (typeof initial !== 'object' || initial === null) return true;
  return Object.entries(initial).every(([field, value]) =>
    isLike((draft as Record<string, unknown>)[field], value),
  );
}
