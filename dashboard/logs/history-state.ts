import '@tanstack/react-router';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Set by links of the list, to which the entry's view then goes back. */
    isFromLogs?: boolean;
  }
}
