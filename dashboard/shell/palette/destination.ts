import type { NavigateOptions } from '@tanstack/react-router';
import type { Theme } from '../theme.ts';

/** An effect of a choice on the page itself. */
export type Command = 'shortcuts' | 'sign_out' | Theme;

export interface Destination {
  /** Unique among those that are shown. */
  id: string;
  kind: string;
  title: string;
  detail?: string;
  /** Everyday words by which it is found, too, with spaces between them. */
  keywords?: string;
  /** Null for a command. */
  link: NavigateOptions | null;
  command?: Command;
}
