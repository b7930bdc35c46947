// Requests about memory, each for the person whose memory is shown.

import * as api from "../../api.js";
import { userQuery } from "../../session.js";

const withUser = (options = {}) => ({ ...options, query: { ...options.query, ...userQuery() } });

/** A path under /memory, with the person in its query where the caller may name one. */
export const address = (path, query = {}) => api.withQuery(`/memory/${path}`, { ...query, ...userQuery() });

export const get = (path, query, options) => api.request("GET", `/memory/${path}`, withUser({ ...options, query }));
export const post = (path, body = {}) => api.request("POST", `/memory/${path}`, withUser({ body }));
export const put = (path, body, options) => api.request("PUT", `/memory/${path}`, withUser({ ...options, body }));
export const patch = (path, body) => api.request("PATCH", `/memory/${path}`, withUser({ body }));
export const del = (path, query) => api.request("DELETE", `/memory/${path}`, withUser({ query }));
