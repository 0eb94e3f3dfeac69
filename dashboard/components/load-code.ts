/** Loads the parts of the page that are not in its first files, also after the connection was lost. */
import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import { secondMs } from '#lambdas/platform/duration.ts';

/** Browsers may believe to be offline when they are not. */
const offlineRetryMs = 10 * secondMs;

const failureMessage = 'This could not be loaded. Check your connection and try again.';

/**
 * Waits for the connection rather than fail without one: Chromium never asks again for a file that it could not load, and other
 * parts may need the same one. So every dynamic import is made here. The error of such a file gets another name: the router would
 * reload the page for the original, also where nothing can be reached.
 */
export async function loadCode<Module>(load: () => Promise<Module>): Promise<Module> {
  // Without this property, nothing is known.
  if (navigator.onLine === false) await whenReachable();
  try {
    return await load();
  } catch (cause) {
    throw new Error(failureMessage, { cause });
  }
}

let reachable: Promise<void> | null = null;

/** All parts that wait do so together. */
function whenReachable(): Promise<void> {
  reachable ??= waitUntilReachable().finally(() => {
    reachable = null;
  });
  return reachable;
}

async function waitUntilReachable(): Promise<void> {
  while (!(await isReachable())) await connectionOrPause(offlineRetryMs);
}

/** Whether the code is missing, rather than faulty. */
export function isLoadFailure(error: unknown): boolean {
  return error instanceof Error && error.message === failureMessage;
}

/** Whether the page could be loaded. */
export async function isReachable(): Promise<boolean> {
  try {
    const { ok } = await fetch('/', { method: 'HEAD', cache: 'no-store' });
    return ok;
  } catch {
    return false;
  }
}

function connectionOrPause(pauseMs: number): Promise<void> {
  return new Promise((resolve) => {
    const proceed = () => {
      clearTimeout(timeout);
      removeEventListener('online', proceed);
      resolve();
    };
    const timeout = setTimeout(proceed, pauseMs);
    addEventListener('online', proceed);
  });
}

type PropsOf<Component> = Component extends ComponentType<infer Props> ? Props : never;

/** A component whose code is loaded when it is first rendered. */
export function lazyComponent<Module, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
): LazyExoticComponent<ComponentType<PropsOf<Module[Name]>>> {
  return lazy(async () => {
    const component = (await loadCode(load))[name];
    return { default: component as ComponentType<PropsOf<Module[Name]>> };
  });
}
