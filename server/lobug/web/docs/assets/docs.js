// Shows the routes of the server that this page came from. Without `validatorUrl: null` Swagger UI
// sends the description of a server that is not on localhost to a service of its makers.
SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  queryConfigEnabled: false,
  validatorUrl: null,
});
