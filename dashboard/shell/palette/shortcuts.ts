/** The keys that open the search and the sheet of shortcuts. */
import { useEffect } from 'react';

/** Single keys disturb people who speak to their browser, so they can be switched off. */
const storageKey = 'single-keys';

export function areSingleKeysOn(): boolean {
  try {
    return localStorage.getItem(storageKey) !== 'off';
  } catch {
    return true;
  }
}

export function setSingleKeys(isOn: boolean): void {
  try {
    if (isOn) localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, 'off');
  } catch {
    // Without storage, they stay on.
  }
}

/** The names of the keys of the search on this computer. */
export function searchKeys(): readonly [string, string] {
  return /mac|iphone|ipad/i.test(navigator.userAgent) ? ['⌘', 'K'] : ['Ctrl', 'K'];
}

type Command = 'search' | 'shortcuts';

type Keys = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

/** @param isTyping whether the keys go to a text field */
export function commandOf(keys: Keys, isTyping: boolean, singleKeys: boolean): Command | null {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = keys;
  if (altKey) return null;
  if (ctrlKey !== metaKey) return key.toLowerCase() === 'k' && !shiftKey ? 'search' : null;
  return key === '?' && !ctrlKey && singleKeys && !isTyping ? 'shortcuts' : null;
}

/** Listens while no dialog is open: what is typed there is not lost. */
export function useShortcuts(onCommand: (command: Command) => void): void {
  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.repeat) return;
      const command = commandOf(event, isTextField(event.target), areSingleKeysOn());
      if (command === null) return;
      // The browser's own search.
      event.preventDefault();
      if (document.querySelector('[role="dialog"], [role="alertdialog"]') === null) onCommand(command);
    };
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, [onCommand]);
}

function isTextField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input, textarea, select, [role="textbox"]'))
  );
}
