import { createContext } from 'react';

/** Whether the content is that of a dialog that fades out: it can still be seen and pressed, and does nothing. */
export const ClosingContext = createContext(false);
