/** Loads the code of views, also after the connection was lost. */
import { secondMs } from '#lambdas/platform/duration.ts';

/** Browsers may believe to be offline when they are not. */
const offlineRetryMs = 10 * secondMs;

const failureMessage = 'The view could not be loaded';

/**
 * Waits for the connection rather than fail without one: Chromium never asks again for a file that it could not load. The error
 * of such a file gets another name: the router would reload the page for the original, also where nothing can be reached.
 */
export async function loadView<Module>(load: () => Promise<Module>): Promise<Module> {
  if (!navigator.onLine) {
    while (!(await isReachable())) await connectionOrPause(offlineRetryMs);
  }
  try {
    return await load();
  } catch (cause) {
    throw new Error(failureMessage, { cause });
  }
}

/** Whether the code of a view is missing, rather than faulty. */
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

/** Something that can be loaded ahead, such as the component of a route. */
interface LoadableView {
  preload?: () => Promise<unknown> | undefined;
}

/** The page has to be idle for so long, so that the first view is complete. */
const idleMs = 6 * secondMs;

/**
 * Loads the code of all views one after another while nothing else happens, so that they open without a connection too.
 *
 * @param isIdle whether the page loads nothing at the moment
 */
export async function preloadViews(views: readonly LoadableView[], isIdle: () => boolean): Promise<void> {
  const connection: { saveData?: boolean } | undefined = Reflect.get(navigator, 'connection');
  if (connection?.saveData) return;
  for (let idleSinceMs = Date.now(); Date.now() - idleSinceMs < idleMs; ) {
    await pause(secondMs);
    if (!isIdle()) idleSinceMs = Date.now();
  }
  for (const view of views) {
    // Opening the view reports a failure.
    await view.preload?.()?.catch(() => {});
    await pause(100);
  }
}

function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}
