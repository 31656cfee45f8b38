import type { Page } from '../page.js';
import { listPage } from './list-page.js';
import { recordPage } from './record-page.js';
import { sheets } from './sheet.js';

/** A list and a page of one record for each kind, in the order of the navigation. */
export const recordPages: readonly Page[] = sheets.flatMap((sheet) => [listPage(sheet), recordPage(sheet)]);
