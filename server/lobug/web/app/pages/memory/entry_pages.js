// The pages of a long list: fetched where they are looked at, a bounded number of them kept.

import { signal } from "../../preact.js";
import * as memory from "./client.js";

export const PAGE_ROWS = 100;
const MOST_PAGES = 24;

/** The entries that a filter lets through, newest first, by their place in the list. */
export class EntryPages {
  /** @param {object} filter query parameters of GET /memory/entries */
  constructor(filter) {
    this.filter = filter;
    this.pages = new Map();
    this.asked = new Map();
    /** How many there are; null until it is known. */
    this.total = signal(null);
    this.error = signal(null);
    /** Counts what has arrived, so that what is seen is drawn anew. */
    this.arrivals = signal(0);
    this.generation = 0;
  }

  /** The entry at a place; undefined while it is not here. */
  at(place) {
    return this.pages.get(Math.floor(place / PAGE_ROWS))?.[place % PAGE_ROWS];
  }

  /** The place of an entry among those that are here; -1 where it is not. */
  placeOf(id) {
    for (const [page, entries] of this.pages) {
      const found = entries.findIndex((entry) => entry.id === id);
      if (found >= 0) return page * PAGE_ROWS + found;
    }
    return -1;
  }

  /** Fetch what is missing of the places from `first` to before `end`; requests for others end. */
  async need(first, end) {
    const from = Math.floor(first / PAGE_ROWS);
    const to = Math.floor(Math.max(first, end - 1) / PAGE_ROWS);
    for (const [page, abort] of this.asked) {
      if (page < from || page > to) abort.abort();
    }
    const wanted = [];
    for (let page = from; page <= to; page++) {
      if (!this.pages.has(page) && !this.asked.has(page)) wanted.push(this.fetch(page));
    }
    await Promise.all(wanted);
  }

  /** Fetch the pages of some places again, all at once; forget the others. */
  async refresh(first, end) {
    const generation = ++this.generation;
    for (const abort of this.asked.values()) abort.abort();
    this.asked.clear();
    const from = Math.floor(first / PAGE_ROWS);
    const to = Math.floor(Math.max(first, end - 1) / PAGE_ROWS);
    const numbers = Array.from({ length: to - from + 1 }, (_, i) => from + i);
    try {
      const answers = await Promise.all(numbers.map((page) => this.request(page)));
      if (generation !== this.generation) return;
      this.pages = new Map(numbers.map((page, i) => [page, answers[i].entries]));
      this.total.value = answers[0].total;
      this.error.value = null;
      this.arrivals.value++;
    } catch (error) {
      if (generation === this.generation) this.error.value = error;
    }
  }

  async fetch(page) {
    const generation = this.generation;
    const abort = new AbortController();
    this.asked.set(page, abort);
    try {
      const answer = await this.request(page, abort.signal);
      if (generation !== this.generation) return;
      this.pages.set(page, answer.entries);
      while (this.pages.size > MOST_PAGES) this.pages.delete(this.pages.keys().next().value);
      this.total.value = answer.total;
      this.error.value = null;
      this.arrivals.value++;
    } catch (error) {
      if (error.name !== "AbortError" && generation === this.generation) this.error.value = error;
    } finally {
      if (this.asked.get(page) === abort) this.asked.delete(page);
    }
  }

  request(page, abort) {
    const query = { ...this.filter, order: "newest", skip: page * PAGE_ROWS, limit: PAGE_ROWS, count: true };
    return memory.get("entries", query, { signal: abort });
  }
}
